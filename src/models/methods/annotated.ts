// Checks parameters of modules by the types that their documentation states, where a contract has no others.
import { isNothing } from '../../kit/nothing.ts'
import { oncePer } from '../../kit/once-per.ts'
import type { Param } from '../contract/param.ts'

/** Checks by the type that an annotation names. Numbers and texts stand for each other. */
const ACCEPTS: Readonly<Record<string, (value: unknown) => boolean>> = {
  str: (value) => typeof value === 'string' || Number.isFinite(value),
  int: (value) => Number.isInteger(numberOf(value)),
  float: (value) => Number.isFinite(numberOf(value)),
  bool: (value) => typeof value !== 'object',
  dict: (value) => typeof value === 'object' && value !== null && !Array.isArray(value),
  list: Array.isArray,
  None: (value) => value === null,
  False: (value) => value === false,
}

const numberOf = (value: unknown): unknown =>
  typeof value === 'string' && /^-?\d{1,15}(\.\d{1,15})?$/.test(value) ? Number(value) : value

/** Lists and objects of nothing stand for each other, as PHP writes them. */
const isEmpty = (value: unknown): boolean =>
  typeof value === 'object' && value !== null && Object.keys(value).length === 0

/** Without what innermost brackets hold. */
const outermost = (annotation: string): string => annotation.replaceAll(/\[[^[\]]*\]/g, '')

const checksOf = oncePer(({ annotation }: Param) =>
  annotation === undefined
    ? []
    : outermost(outermost(annotation))
        .split('|')
        .map((type) => (Object.hasOwn(ACCEPTS, type.trim()) ? ACCEPTS[type.trim()] : undefined)),
)

/** Whether a value is of a type that the annotation names, or nothing. Unknown types accept all values. */
export function isOfAnnotation(param: Param, value: unknown): boolean {
  const checks = checksOf(param)
  if (checks.length === 0 || isNothing(value) || isEmpty(value)) return true
  return checks.some((accepts) => accepts === undefined || accepts(value))
}
