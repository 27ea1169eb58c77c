// Moves the clock of a process of Node.js: `node --import=…/skewed-clock.js`, by SKEW_SECONDS. For JavaScript
// alone, of any version of Node.js: PostgreSQL's clock stays, as the kernel has no other one for a process.
const skew = Number(process.env.SKEW_SECONDS ?? 0) * 1000
const RealDate = Date

globalThis.Date = class extends RealDate {
  constructor(...values) {
    if (values.length === 0) super(RealDate.now() + skew)
    else super(...values)
  }

  static now() {
    return RealDate.now() + skew
  }
}
