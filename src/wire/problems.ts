// Failures as problem details (RFC 9457), for those who ask for them.
import { type About, type ErrorObject, errorObject, type ServiceError } from '../errors.ts'
import { slugOf, titleOf } from '../services/problems/table.ts'

export const PROBLEM_TYPE = 'application/problem+json; charset=utf-8'

/** Whether a header `Accept` names problem details. */
export const acceptsProblems = (accept: string | undefined): boolean =>
  accept !== undefined &&
  accept.length <= 1000 &&
  /(?:^|,)\s*application\/problem\+json\s*(?:;(?!\s*q=0(?:\.0*)?\s*(?:[;,]|$))[^,]*)?(?:,|$)/i.test(accept)

/** The type that the draft of RateLimit fields registers. */
const QUOTA = 'https://iana.org/assignments/http-problem-types#quota-exceeded'

/** Origin of a problem report: the address of the server, and the id of the request. */
export interface Place {
  readonly base: string
  readonly requestId: string
}

/** The members of problem details: those of the standard, and of the error object. */
export function problemObject(error: ServiceError, place: Place): object {
  return storedProblem(errorObject(error), error, place)
}

/** The same of an error object that was kept, and of what it was about as far as that was. */
export function storedProblem(
  { name, message, arguments: args, context }: ErrorObject,
  { status, code, about }: { readonly status: number; readonly code: string; readonly about: About | null },
  { base, requestId }: Place,
): object {
  const { kind, accepted, suggestions, faults } = about ?? {}
  const violated = context['violated-policies']
  return {
    type: violated ? QUOTA : `${base}/x/1/problems/${slugOf(code)}`,
    title: titleOf(code),
    status,
    detail: message,
    instance: `urn:request:${requestId}`,
    code,
    name,
    arguments: args,
    context,
    ...(violated !== undefined && { 'violated-policies': violated }),
    ...(kind && { kind }),
    ...(accepted && { accepted }),
    ...(suggestions?.length && { suggestions }),
    ...(faults?.length && { errors: faults }),
  }
}
