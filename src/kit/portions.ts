// Long lists in portions, between which others have their turn.
import { turn } from './turns.ts'

/**
 * The list in portions of a size, usually a single one; asking for the next portion lets other work run
 * first.
 */
export async function* inPortions<T>(list: readonly T[], size: number): AsyncGenerator<readonly T[], void> {
  if (list.length <= size) {
    yield list
    return
  }
  for (let start = 0; start < list.length; start += size) {
    if (start > 0) await turn()
    yield list.slice(start, start + size)
  }
}
