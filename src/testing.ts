// Entry of `comptoir/testing`: a server of its own for the tests of a module, with a database that goes away.
export { checkModule } from './testing/check-module.ts'
export { startTestServer, type TestServer, type TestServerOptions } from './testing/server.ts'
