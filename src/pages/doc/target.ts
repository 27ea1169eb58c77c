// Where calls of the page go.

export interface Target {
  /** Such as `https://shop.example.com`. */
  readonly origin: string
  readonly database: string
  /** The model of the page; empty on the list of all models. */
  readonly model: string
  /** Whether calls can be done and taken back. */
  readonly dryRuns: boolean
}

/** The target, from the data attributes that the server wrote into the page. */
export function targetOf({ dataset }: HTMLElement): Target {
  const { origin = '', database = '', model = '', dryRuns } = dataset
  return { origin, database, model, dryRuns: dryRuns !== undefined }
}
