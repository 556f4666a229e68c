"""Tables, figures and pages of the results of studies."""
