"""What offline RL data teaches regardless of the reward."""

__version__ = "0.1.0"
