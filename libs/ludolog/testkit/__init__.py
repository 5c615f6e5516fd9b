"""For whoever writes rules: scenarios, simulated matches, golden matches, the room that `new-rulebook` makes."""
