"""Agents: their profiles, and whether new ones can register."""
