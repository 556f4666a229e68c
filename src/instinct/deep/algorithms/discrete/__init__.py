"""The deep algorithms for discrete actions, under the same names and with the same settings.

An action is a one-hot row, and a policy a row of probabilities: logits from one network, π(·|s) by
their softmax. Critics have one output per action, so that every expectation over actions of π is a
sum, as in Christodoulou, "Soft Actor-Critic for Discrete Action Settings", arXiv:1910.07207. What
does not depend on actions is inherited from the algorithm for continuous ones.
"""
