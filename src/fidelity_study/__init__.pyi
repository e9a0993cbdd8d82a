from .notebook.compare import compare as compare
