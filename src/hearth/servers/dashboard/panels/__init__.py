"""What stands beside the timeline: one panel at a time, each drawn anew when what it shows moves.

A panel is a row of `listed.panels`; whoever serves pages knows no single one of them.
"""
