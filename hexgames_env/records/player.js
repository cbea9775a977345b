"use strict";
// Shows one game.  Its pictures are unpacked as hexgames_env/records/film.py packs them; what is
// said comes in words.  Texts reach the page by textContent alone, whatever they contain.

const byId = (id) => document.getElementById(id);
const game = JSON.parse(byId("game").textContent);
const board = document.querySelector(".stage > svg");
const LAST = game.frames.length - 1;

let step = 0; // the position that is shown
let heat = false; // whether visits are shown on the board
let timer = null; // while it plays
const system = matchMedia("(prefers-color-scheme: dark)");
let chosen = document.documentElement.dataset.theme; // undefined: what the system says
let dark = chosen ? chosen === "dark" : system.matches;

// Pictures

const changed = (list, splices) => {
  const copy = [...list];
  for (const [at, gone, ...come] of splices) copy.splice(at, gone, ...come);
  return copy;
};

const frames = [];
for (const splices of game.frames) frames.push(changed(frames.at(-1) ?? [], splices));

function picture() {
  let list = frames[step];
  let key = String(step);
  if (heat && game.others[`${key}h`]) {
    key += "h";
    list = changed(list, game.others[key]);
  }
  return dark && game.others[`${key}d`] ? changed(list, game.others[`${key}d`]) : list;
}

const shapeOf = (number) => game.shapes[Math.floor(number / game.colours.length)];
const colourOf = (number) => game.colours[number % game.colours.length][dark ? 1 : 0];
const POLYGON = game.kinds.findIndex((kind) => kind.join() === "path,fill=,d");

function elements(list) {
  const made = [];
  const runs = []; // polygons of one colour, one after the other: one path
  let run = null; // the one that goes on
  for (const number of list) {
    const [kind, path] = shapeOf(number);
    if (run !== null && kind === POLYGON && run.colour === colourOf(number)) {
      run.paths.push(path);
      continue;
    }
    made.push(element(number));
    run = kind === POLYGON ? { node: made.at(-1), colour: colourOf(number), paths: [path] } : null;
    if (run !== null) runs.push(run);
  }
  for (const { node, paths } of runs) if (paths.length > 1) node.setAttribute("d", paths.join(""));
  return made;
}

function element(number) {
  const [kind, ...values] = shapeOf(number);
  const [tag, ...attributes] = game.kinds[kind];
  const made = document.createElementNS(board.namespaceURI, tag);
  for (const attribute of attributes) {
    const [name, fixed] = attribute.split("=");
    if (name === "") made.textContent = game.strings[values.shift()];
    else made.setAttribute(name, fixed === undefined ? values.shift() : fixed || colourOf(number));
  }
  return made;
}

// Turns and their steps

const ends = [0]; // the positions between turns
const places = []; // of each step: its turn and the button for it
const nav = document.querySelector("nav");

function stepButton(number, ...content) {
  const button = document.createElement("button");
  button.append(...content);
  button.addEventListener("click", () => show(number));
  if (game.remarks[number]?.[0]) {
    const star = document.createElement("span");
    star.textContent = " *";
    star.setAttribute("role", "img");
    star.setAttribute("aria-label", ", with a comment");
    button.append(star);
  }
  return button;
}

function item(...content) {
  const made = document.createElement("li");
  made.append(...content);
  byId("steps").append(made);
}

places.push({ turn: 0, text: "", button: stepButton(0, "Start") });
item(places[0].button);
game.turns.forEach((steps, turn) => {
  const buttons = steps.map(([player, text]) => {
    const stone = document.createElement("span");
    stone.className = player === game.dark ? "stone dark" : "stone";
    stone.setAttribute("role", "img");
    stone.setAttribute("aria-label", game.players[player]);
    const button = stepButton(places.length, stone, text);
    places.push({ turn: turn + 1, text, button });
    return button;
  });
  item(`${turn + 1}.`, ...buttons);
  ends.push(places.length - 1);
});
for (const { button } of places) button.tabIndex = -1; // the one of this position gets 0

// What is shown of a position

function say() {
  const [happened, headline, ...counts] = game.words[step].map((place) => game.strings[place]);
  const { turn, text } = places[step];
  const has = counts.map((what, player) => `${game.players[player]} has ${what}`);
  const sentences = [happened, headline, ...has].filter(Boolean);
  byId("title").textContent = `${game.title}.  ${sentences.join(".  ")}.`;
  const where = step ? `Step ${step} of ${LAST}, turn ${turn}: ${text}` : `Start of ${LAST} steps`;
  const end = step === LAST ? game.end : ""; // what the last position does not know
  const said = {
    where,
    happened: happened && `${happened}.`,
    headline: `${end || headline}.`,
    counts: `${has.join(". ")}.`,
  };
  for (const [id, words] of Object.entries(said)) byId(id).textContent = words;
  const remarks = (game.remarks[step] ?? []).filter(Boolean).map((words) => {
    const line = document.createElement("p");
    line.dir = "auto";
    line.textContent = words;
    return line;
  });
  byId("remark").replaceChildren(...remarks);
  byId("place").value = step;
  byId("place").setAttribute("aria-valuetext", said.where);
}

function draw() {
  board.replaceChildren(byId("title"), ...elements(picture()));
}

function show(number) {
  const before = places[step].button;
  step = Math.max(0, Math.min(LAST, number));
  const { button } = places[step];
  before.tabIndex = -1;
  before.removeAttribute("aria-current");
  button.tabIndex = 0;
  button.setAttribute("aria-current", "step");
  if (document.activeElement === before) button.focus({ preventScroll: true });
  nav.scrollTop = button.offsetTop - (nav.clientHeight - button.offsetHeight) / 2;
  for (const id of ["first", "turn-back", "back"]) disable(id, step === 0);
  for (const id of ["last", "turn-forward", "forward"]) disable(id, step === LAST);
  draw();
  say();
}

// They keep the focus, which a button that is disabled for good would lose
const disable = (id, is) => byId(id).setAttribute("aria-disabled", is);

function setTheme(isDark) {
  dark = isDark;
  document.documentElement.dataset.theme = dark ? "dark" : "light";
  byId("theme").setAttribute("aria-pressed", dark);
  draw();
}

function setHeat(isShown) {
  heat = isShown;
  byId("visits").setAttribute("aria-pressed", heat);
  draw();
}

// Playing

function pause() {
  clearInterval(timer);
  timer = null;
  playing(false);
}

function play() {
  clearInterval(timer);
  if (step === LAST) show(0);
  playing(true);
  timer = setInterval(() => {
    if (step < LAST) show(step + 1);
    if (step === LAST) pause();
  }, 1000 / byId("speed").value);
}

function playing(is) {
  document.body.classList.toggle("playing", is);
  byId("play").setAttribute("aria-label", is ? "Pause" : "Play");
  // Who listens would hear of nothing else
  byId("words").setAttribute("aria-live", is ? "off" : "polite");
}

const go = {
  first: () => show(0),
  "turn-back": () => show(ends.findLast((end) => end < step) ?? 0),
  back: () => show(step - 1),
  play: () => (timer === null ? play() : pause()),
  forward: () => show(step + 1),
  "turn-forward": () => show(ends.find((end) => end > step) ?? LAST),
  last: () => show(LAST),
};
const KEYS = {
  Home: "first", ArrowUp: "turn-back", ArrowLeft: "back", " ": "play",
  ArrowRight: "forward", ArrowDown: "turn-forward", End: "last",
};

for (const [id, act] of Object.entries(go)) byId(id).addEventListener("click", act);
document.addEventListener("keydown", (event) => {
  const isTaken =
    event.target.closest("input, select, pre") || // which use these keys themselves
    (event.key === " " && event.target.closest("button, summary"));
  if (isTaken || event.ctrlKey || event.altKey || event.metaKey || event.shiftKey) return;
  if (!Object.hasOwn(KEYS, event.key)) return;
  event.preventDefault();
  go[KEYS[event.key]]();
});
byId("place").addEventListener("input", (event) => show(Number(event.target.value)));
byId("speed").addEventListener("change", () => timer !== null && play());
byId("theme").addEventListener("click", () => setTheme((chosen = !dark)));
byId("visits").addEventListener("click", () => setHeat(!heat));
byId("visits").hidden = !Object.keys(game.others).some((key) => key.endsWith("h"));
system.addEventListener("change", () => chosen === undefined && setTheme(system.matches));

show(0);
setTheme(dark);
