"""The board in containers, and the files made from the contract that its load balancer reads."""
