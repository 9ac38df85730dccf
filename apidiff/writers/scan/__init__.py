"""The result of a scan in many forms: a table, JSON, SARIF, annotations, Markdown, HTML."""
