"""The queries and alerts that come with the platform, and the dashboard made of them."""
