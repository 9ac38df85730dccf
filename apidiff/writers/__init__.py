"""Writers: one answer in many forms."""
