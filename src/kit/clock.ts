// Clocks: the current time, which may differ from the machine's.

/**
 * The source of the current time. A server uses the machine's clock; a test may set its own
 * (docs/guides/testing.md).
 */
export interface Clock {
  now(): Date
}
