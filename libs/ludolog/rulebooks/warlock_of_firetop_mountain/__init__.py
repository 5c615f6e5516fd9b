"""The Warlock of Firetop Mountain."""
