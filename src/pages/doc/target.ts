// Where calls of the page go.

export interface Target {
  /** Such as `https://shop.example.com`. */
  readonly origin: string
  readonly database: string
  /** The model of the page; empty where it lists all of them. */
  readonly model: string
}

/** The target, as the server wrote it beside the page. */
export function targetOf({ dataset }: HTMLElement): Target {
  return { origin: dataset.origin ?? '', database: dataset.database ?? '', model: dataset.model ?? '' }
}
