// The protocol's server for one request: it knows who calls and what they want, and nothing of any other.
import {
  type CallToolResult,
  CLIENT_INFO_META_KEY,
  fromJsonSchema,
  type InputRequiredResult,
  isSpecType,
  MissingRequiredClientCapabilityError,
  ProtocolError,
  ProtocolErrorCode,
  ResourceNotFoundError,
  Server,
  type ServerContext,
} from '@modelcontextprotocol/server'
import { ServiceError, UnprocessableEntity } from '../errors.ts'
import { alike } from '../kit/alike.ts'
import {
  canAsk,
  consentIn,
  isAnswering,
  needsConsent,
  question,
  questionsOf,
  type ToolCall,
} from './consent.ts'
import { visibleText } from './plain-values.ts'
import { type Arguments, isReading, readingTools } from './read-tools.ts'
import { listed, read, templates } from './resources.ts'
import { refusalIn, refused, resultOf } from './result.ts'
import { instructions, isOffered, tools, toolsFor } from './tools.ts'
import type { Visit } from './visit.ts'
import { isConfirmed, performWrite, requestedWrite } from './write-tools.ts'

/** Milliseconds that lists may be kept by a client: they vary by the key alone. */
const KEPT = { ttlMs: 300_000, cacheScope: 'private' } as const

/** Judges of arguments; made at the first call of each tool. */
const judges = new Map<string, ReturnType<typeof fromJsonSchema<Arguments>>>()

/**
 * A server that answers within the rights of `visit`. `fails` gets the errors that the request as a whole is
 * answered with.
 */
export function serverFor(visit: Visit, era: 'legacy' | 'modern', fails: (error: unknown) => void): Server {
  const isModern = era === 'modern'
  const server = new Server(
    { name: 'comptoir', title: 'Comptoir', version: '1' },
    {
      // Only clients of the current protocol version know streams of changes.
      capabilities: {
        tools: {},
        resources:
          isModern && visit.agent.opens('changes') && visit.extensions.has('changes')
            ? { subscribe: true }
            : {},
      },
      instructions,
      cacheHints: {
        'tools/list': KEPT,
        'resources/list': KEPT,
        'resources/templates/list': KEPT,
        'server/discover': KEPT,
      },
      requestState: {
        verify: async (state, ctx) => (await questionsOf(visit)).verify(state, ctx),
      },
    },
  )
  const { base, owner } = visit
  const answered = async (work: () => Promise<CallToolResult | InputRequiredResult>) => {
    try {
      return await work()
    } catch (error) {
      if (error instanceof ProtocolError) throw error
      try {
        return refused(refusalIn(error), { base, requestId: owner.requestId })
      } catch (failure) {
        fails(failure)
        throw failure
      }
    }
  }
  server.setRequestHandler('tools/list', () => ({ tools: toolsFor(visit) }))
  server.setRequestHandler('tools/call', ({ params: { name, arguments: toolArguments = {} } }, ctx) =>
    answered(() => called(visit, { name, arguments: toolArguments }, ctx)),
  )
  server.setRequestHandler('resources/templates/list', () => ({ resourceTemplates: templates }))
  server.setRequestHandler('resources/list', async () => ({
    resources: await listed(visit).catch(outer(fails)),
  }))
  server.setRequestHandler('resources/read', ({ params }) =>
    read(visit, params.uri).catch((error: unknown) => {
      if (error instanceof ServiceError && error.status === 404) throw new ResourceNotFoundError(params.uri)
      return outer(fails)(error)
    }),
  )
  return server
}

/** A failure outside of tools: the protocol's error with our words. */
const outer =
  (fails: (error: unknown) => void) =>
  (error: unknown): never => {
    if (error instanceof ProtocolError) throw error
    if (!(error instanceof ServiceError)) fails(error)
    const { message, code, status } = error as ServiceError
    if (status === 401 || status === 429) fails(error)
    throw new ProtocolError(ProtocolErrorCode.InvalidParams, visibleText(message), { code })
  }

async function called(
  visit: Visit,
  call: ToolCall,
  ctx: ServerContext,
): Promise<CallToolResult | InputRequiredResult> {
  const { name, arguments: toolArguments } = call
  const spec = tools.find((candidate) => candidate.name === name && isOffered(candidate, visit))
  if (!spec)
    throw new ProtocolError(
      ProtocolErrorCode.InvalidParams,
      `Unknown tool '${name.slice(0, 100)}': call tools/list.`,
    )
  // A client that sends answers must support questions: otherwise a refused action would run unconfirmed.
  if (isAnswering(ctx) && !canAsk(ctx))
    throw new MissingRequiredClientCapabilityError({ requiredCapabilities: { elicitation: { form: {} } } })
  await assertFitting(spec, toolArguments)
  if (isReading(name)) return resultOf(await readingTools[name](visit, toolArguments))
  if (isConfirmed(toolArguments) && canAsk(ctx) && needsConsent(call)) {
    const consent = consentIn(call, ctx)
    if (consent === null) return question(visit, call, ctx)
    if (consent === 'refused')
      throw new UnprocessableEntity('The person who was asked declined the change. Do not repeat it.', {
        code: 'consent_refused',
      })
  }
  return resultOf(await performWrite(visit, requestedWrite(name, toolArguments, clientIn(ctx))))
}

/** Throws UnprocessableEntity for arguments that the tool does not take, so that the agent corrects them. */
async function assertFitting(
  { name, inputSchema }: (typeof tools)[number],
  toolArguments: Arguments,
): Promise<void> {
  const argumentNames = Object.keys(inputSchema.properties ?? {})
  const unknown = Object.keys(toolArguments).find((argument) => !argumentNames.includes(argument))
  if (unknown !== undefined)
    throw new UnprocessableEntity(
      `${name} has no argument '${unknown.slice(0, 100)}'; its arguments are ${argumentNames.join(', ')}.`,
      { about: { suggestions: alike(unknown, argumentNames) } },
    )
  const judge = judges.get(name) ?? fromJsonSchema<Arguments>({ ...inputSchema, additionalProperties: false })
  judges.set(name, judge)
  const { issues } = await judge['~standard'].validate(toolArguments)
  if (issues)
    throw new UnprocessableEntity(
      `The arguments do not fit ${name}: ${issues
        .map(({ message }) => message)
        .join('; ')
        .slice(0, 1000)}`,
    )
}

/** Name and version that the client states; unverified. */
function clientIn({ mcpReq }: ServerContext): string | null {
  const envelope: Readonly<Record<string, unknown>> = { ...mcpReq.envelope }
  const client = envelope[CLIENT_INFO_META_KEY]
  return isSpecType.Implementation(client) ? `${client.name} ${client.version}`.slice(0, 100) : null
}
