"""Those who carry out effects. They answer with reports and progress; none raises.

May import core.vocabulary; are imported by app alone, never by the engine.
"""
