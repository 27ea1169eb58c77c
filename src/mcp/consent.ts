// A person is asked before an agent destroys something, where the client can ask: the answer comes with the
// same call once more, and what was asked for is signed, so that any node takes it.
import { createHash, createHmac } from 'node:crypto'
import {
  CLIENT_CAPABILITIES_META_KEY,
  createRequestStateCodec,
  type InputRequiredResult,
  inputRequired,
  inputResponse,
  type RequestStateCodec,
  type ServerContext,
} from '@modelcontextprotocol/server'
import { isDestructive } from '../docs/index.ts'
import { canonical } from '../kit/canonical.ts'
import type { Arguments } from './read-tools.ts'
import { type Visit, verbs } from './visit.ts'

/** A tool with its arguments. */
export interface ToolCall {
  readonly name: string
  readonly arguments: Arguments
}

/** Seconds that a person may take. */
const PATIENCE = 600

/** The signer of questions: what was asked of whom. */
export async function questionsOf(visit: Visit): Promise<RequestStateCodec<string>> {
  const secret = await verbs.runReadOnly(visit, (env) => visit.backend.agents.secretOf(env))
  const key = createHmac('sha256', `questions of ${secret}`).digest()
  return createRequestStateCodec<string>({ key, ttlSeconds: PATIENCE, bind: () => String(visit.agent.uid) })
}

/** A call in one spelling: an answer is for it and no other. */
const spelled = ({ name, arguments: callArguments }: ToolCall): string =>
  createHash('sha256')
    .update(canonical([name, callArguments]))
    .digest('base64url')

/** Whether the client can ask people by forms. */
export function canAsk({ mcpReq }: ServerContext): boolean {
  const elicitation = memberOf(memberOf(mcpReq.envelope, CLIENT_CAPABILITIES_META_KEY), 'elicitation')
  if (elicitation === undefined) return false
  // A client that names no kind of question supports forms.
  return memberOf(elicitation, 'form') !== undefined || memberOf(elicitation, 'url') === undefined
}

/** Whether a call comes once more, with what a person said. */
export const isAnswering = ({ mcpReq }: ServerContext): boolean =>
  mcpReq.requestState() !== undefined || Object.keys(mcpReq.inputResponses ?? {}).length > 0

/** A member of what may be an object. */
const memberOf = (value: unknown, name: string): unknown =>
  typeof value === 'object' && value !== null ? Reflect.get(value, name) : undefined

/** Whether a person has to confirm a call of a tool first. */
export function needsConsent({ name, arguments: { method } }: ToolCall): boolean {
  if (name === 'delete_records') return true
  return name === 'call_method' && isDestructive({ name: String(method), readonly: false, lasting: false })
}

/** The person's answer for this call; null where the question has not been put yet. */
export function consentIn(call: ToolCall, { mcpReq }: ServerContext): 'given' | 'refused' | null {
  const answer = inputResponse(mcpReq.inputResponses, 'consent')
  if (answer.kind !== 'elicit' || mcpReq.requestState<string>() !== spelled(call)) return null
  return answer.action === 'accept' && answer.content?.sure === true ? 'given' : 'refused'
}

/** The question. */
export async function question(
  visit: Visit,
  call: ToolCall,
  ctx: ServerContext,
): Promise<InputRequiredResult> {
  const { model, ids, method = 'delete' } = call.arguments
  const records = Array.isArray(ids) ? `${ids.length} record(s)` : 'records'
  const codec = await questionsOf(visit)
  return inputRequired({
    inputRequests: {
      consent: inputRequired.elicit({
        message: `Shall ${String(method).slice(0, 80)} be done to ${records} of ${String(model).slice(0, 80)}? This cannot be undone.`,
        requestedSchema: {
          type: 'object',
          properties: { sure: { type: 'boolean', title: 'Yes, do it' } },
          required: ['sure'],
        },
      }),
    },
    requestState: await codec.mint(spelled(call), ctx),
  })
}
