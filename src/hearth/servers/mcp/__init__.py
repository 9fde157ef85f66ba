"""hearth for programs that speak the Model Context Protocol, in both of its eras."""
