// Limits how long calls wait for others before they are refused with a request to retry. Tests multiply these
// times, so that they do not depend on the speed of the machine.

/** Factor for all such times. */
export const patience = { factor: 1 }
