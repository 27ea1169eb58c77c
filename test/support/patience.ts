// Calls that wait for others, statements and connections wait as long as a slow machine takes in tests:
// twenty times as long as usual.
import { patience } from '../../src/kit/patience.ts'
import { setLimits } from '../../src/limits.ts'

/** From now on in this process; again after a test that set limits of its own. */
export function waitPatiently(): void {
  patience.factor = 20
  setLimits({ 'lock-seconds': 100, 'statement-seconds': 160, 'batch-seconds': 140 })
}

waitPatiently()
