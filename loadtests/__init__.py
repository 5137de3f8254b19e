"""Load tests of a board over its public interface, with Locust."""
