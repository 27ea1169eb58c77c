// Whole numbers in English words, as on contracts and cheques: 438 is "four hundred and thirty-eight".
const SMALL = (
  'zero one two three four five six seven eight nine ten eleven twelve thirteen fourteen fifteen sixteen ' +
  'seventeen eighteen nineteen'
).split(' ')
const TENS = 'twenty thirty forty fifty sixty seventy eighty ninety'.split(' ')
const POWERS = [
  [10 ** 12, 'trillion'],
  [10 ** 9, 'billion'],
  [10 ** 6, 'million'],
  [1000, 'thousand'],
  [100, 'hundred'],
] as const

/** Throws RangeError for what is not a whole number from 0 up to 10^15. */
export function numberInWords(value: number): string {
  if (!Number.isSafeInteger(value) || value < 0 || value >= 10 ** 15)
    throw new RangeError(`${value} cannot be written in words`)
  const small = SMALL[value]
  if (small !== undefined) return small
  if (value < 100) {
    const rest = value % 10
    return `${TENS[Math.floor(value / 10) - 2]}${rest ? `-${SMALL[rest]}` : ''}`
  }
  const [size, name] = POWERS.find(([power]) => value >= power) ?? [100, 'hundred']
  const rest = value % size
  const head = `${numberInWords(Math.floor(value / size))} ${name}`
  if (rest === 0) return head
  return `${head}${rest < 100 ? ' and ' : size === 100 ? ' ' : ', '}${numberInWords(rest)}`
}
