// How long calls wait for others before they are told to come again: as each place says, and many times
// longer in tests, which do not depend on how fast the machine is.

/** What such times are multiplied by. */
export const patience = { factor: 1 }
