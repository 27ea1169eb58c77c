// Whoever imports this has calls that wait for others, statements and connections wait as long as a slow
// machine takes: twenty times as long as usual.
import { patience } from '../../src/kit/patience.ts'
import { setLimits } from '../../src/limits.ts'

patience.factor = 20
setLimits({ 'lock-seconds': 100, 'statement-seconds': 160, 'batch-seconds': 140 })
