// Generators that read from others: ending the reader ends its source.

/**
 * The generator that `by` makes of a source. Ending it ends the source too, at any moment: a generator that
 * was not begun yet would end without ending its source, which would keep what it holds.
 */
export function through<T, U>(
  source: AsyncGenerator<T, void>,
  by: (source: AsyncGenerator<T, void>) => AsyncGenerator<U, void>,
): AsyncGenerator<U, void> {
  const output = by(source)
  const end = output.return.bind(output)
  output.return = async (value) => {
    try {
      return await end(value)
    } finally {
      await source.return()
    }
  }
  return output
}
