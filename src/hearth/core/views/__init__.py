"""How things look now: pure folds of the log. Disposable; rebuilt at will.

Imports core.rules and core.vocabulary; is imported by the engine and by every door.
"""
