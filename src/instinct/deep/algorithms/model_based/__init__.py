"""Algorithms that learn a model of the dynamics and train their policy on rollouts in it.

`dynamics` is learned once per dataset and seed, without rewards, so that all labels share it;
`rewards` learns the label's rewards; `rollouts` plays in both; `agent` is the soft actor-critic on
recorded and imagined transitions, which `mopo`, `morel` and `combo` make pessimistic, each in its
own way. Ends are learned or withheld. Handing an agent the task's own rule of ends would tell it
about falls that no data show: that is an option (`ends`), to see what it changes.
"""
