"""Every item of the timeline as markup, whatever stands in it: bounded, escaped, with stable ids.

It sees words, views and the dashboard's `html`, `actions` and `drawing`; no log and no engine.
The dashboard's stream and its panels use it.
"""
