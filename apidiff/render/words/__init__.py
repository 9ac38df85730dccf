"""The fixed words of the parts of the site, one module a part; ``apidiff.render.labels`` joins them into one table."""
