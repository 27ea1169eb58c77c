// Rows for statements of a bounded size: what PostgreSQL needs for a parameter of rows is many times its
// length.

/** Characters of text that the rows of one statement have together; a row with more goes alone. */
const HEAVY = 4 * 1024 ** 2

/** The rows in portions for one statement each, mostly all of them in one; `weight` of a row by its place. */
export function byWeight<T>(rows: readonly T[], weight: (place: number) => number): (readonly T[])[] {
  const portions: (readonly T[])[] = []
  let start = 0
  let sum = 0
  for (let place = 0; place < rows.length; place++) {
    const placeWeight = weight(place)
    if (place > start && sum + placeWeight > HEAVY) {
      portions.push(rows.slice(start, place))
      start = place
      sum = 0
    }
    sum += placeWeight
  }
  portions.push(start === 0 ? rows : rows.slice(start))
  return portions
}
