// Walks over all records of a domain, page by page.
import { InvalidValue } from '../errors.ts'

/** Parameters of the request for one page. */
export interface Page {
  readonly domain: readonly unknown[]
  readonly order: string
  readonly offset: number
  readonly limit: number
}

/**
 * Yields pages until one is not full. Without an `order` the pages follow the ids, each beginning after the
 * last id seen: records that are made, changed or removed meanwhile neither shift nor repeat others. With an
 * `order` they follow offsets, which do shift.
 * Throws InvalidValue for a size that is no positive whole number.
 */
export async function* pages<R extends { id: number }>(
  read: (page: Page) => Promise<R[]>,
  {
    domain,
    order,
    size,
  }: { readonly domain: readonly unknown[]; readonly order: string | null; readonly size: number },
): AsyncGenerator<R[], void, undefined> {
  if (!Number.isInteger(size) || size < 1)
    throw new InvalidValue(`The size of a page must be a positive whole number, not ${size}.`)
  let last: R | undefined
  for (let offset = 0; ; offset += size) {
    const window: Page = order
      ? { domain, order, offset, limit: size }
      : { domain: last ? [...domain, ['id', '>', last.id]] : domain, order: 'id', offset: 0, limit: size }
    const rows = await read(window)
    if (rows.length > 0) yield rows
    if (rows.length < size) return
    last = rows.at(-1)
  }
}
