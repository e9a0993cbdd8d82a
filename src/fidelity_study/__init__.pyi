from .app.notebook.compare import compare as compare
