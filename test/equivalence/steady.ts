// Loaded into the servers that are compared: defaults such as colors of tags are random, and would differ.
// A constant, and no sequence: what else asks for random numbers does so at moments of its own.
import crypto from 'node:crypto'
import { syncBuiltinESMExports } from 'node:module'

Math.random = () => 0.5

crypto.randomInt = ((...range: number[]) => (range.length > 1 ? range[0] : 0)) as typeof crypto.randomInt
syncBuiltinESMExports()
