// Generators that are fed by others: whoever stops asking the one stops the other.

/**
 * What `by` makes of a source. When it is told to end, so is the source, at whatever moment: by itself a
 * generator that was not begun yet ends without a word to those it would have read, and what they hold stays
 * held.
 */
export function through<T, U>(
  source: AsyncGenerator<T, void>,
  by: (source: AsyncGenerator<T, void>) => AsyncGenerator<U, void>,
): AsyncGenerator<U, void> {
  const made = by(source)
  const end = made.return.bind(made)
  made.return = async (value) => {
    try {
      return await end(value)
    } finally {
      await source.return()
    }
  }
  return made
}
