"""Answers editors (`apidiff lsp`) and agents (`apidiff mcp`): thin servers over lookup, search, scan and port, bound to stdio."""
