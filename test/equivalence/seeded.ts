// Loaded before the vendored runners: their names and tags come from `Math.random`, which is made repeatable,
// so that the runners of both sides send the same.
import { Random } from '../fuzz/random.ts'

const random = new Random(Number(process.env.EQUIVALENCE_SEED ?? 1))
Math.random = () => random.next()
