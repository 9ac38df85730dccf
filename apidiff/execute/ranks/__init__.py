"""What runs inside the rank processes. The only code of the project that imports torch or MindSpore."""
