// Loaded into the servers that are compared: defaults such as colors of tags are random, and would differ.
// A constant, and no sequence: what else asks for random numbers does so at moments of its own.
Math.random = () => 0.5
