"""Players: objects called as ``agent(state, rng)`` that return an action.

>>> import numpy as np
>>> from hexgames_env import make_game
>>> from hexgames_env.agents import make_agent
>>> agent = make_agent("greedy")
>>> agent
make_agent('greedy')
>>> state = make_game("oust", side=2).state_from_cells({"a1": 0, "b1": 0, "c1": 1})
>>> state.action_to_string(agent(state, np.random.default_rng(1)))  # the capture that wins
'b2'
"""

from hexgames_env.agents.base import Agent, as_agent
from hexgames_env.agents.pool import AgentPool
from hexgames_env.agents.registry import agent_names, make_agent, register_agent
from hexgames_env.agents.simple import GreedyAgent, RandomAgent

__all__ = [
    "Agent",
    "AgentPool",
    "GreedyAgent",
    "RandomAgent",
    "agent_names",
    "as_agent",
    "make_agent",
    "register_agent",
]
