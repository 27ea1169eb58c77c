// Answers that PostgreSQL rendered: they are passed on as they came.

/** JSON text made by PostgreSQL, passed on as it is. */
export class Rendered {
  readonly json: string
  constructor(json: string) {
    this.json = json
  }
}
