# Ruby's XML-RPC client as its documentation has it: new2, call, proxies, faults. Run by debian.test.ts with address, database, login and password.
require 'xmlrpc/client'

url, db, login, password = ARGV

def same(expected, got, about)
  abort "#{about}: expected #{expected.inspect}, got #{got.inspect}" unless expected == got
end

common = XMLRPC::Client.new2("#{url}/xmlrpc/2/common")
same '19.0', common.call('version')['server_version'], 'version'
uid = common.call('authenticate', db, login, password, {})
same 2, uid, 'authenticate'
same false, common.call('authenticate', db, login, 'wrong', {}), 'a wrong password'

models = XMLRPC::Client.new2("#{url}/xmlrpc/2/object").proxy
kw = ->(*args) { models.execute_kw(db, uid, password, *args) }
same true, kw.call('res.partner', 'check_access_rights', ['read'], { raise_exception: false }), 'check_access_rights'
id = kw.call('res.partner', 'create', [{ name: 'Ruby é ☃', is_company: true, partner_latitude: 2.0 }])
same [{ 'id' => id, 'name' => 'Ruby é ☃', 'partner_latitude' => 2.0, 'email' => false }],
     kw.call('res.partner', 'read', [id], { fields: %w[name partner_latitude email] }), 'read of a bare id'
same [id], kw.call('res.partner', 'search', [[['id', '=', id], ['is_company', '=', true]]], { offset: 0, limit: 5 }), 'search'
same 1, kw.call('res.partner', 'search_count', [[['id', '=', id]]]), 'search_count'
same true, kw.call('res.partner', 'write', [[id], { name: 'Newer' }]), 'write'
same [[id, 'Newer']], kw.call('res.partner', 'name_search', ['Newer']), 'name_search'
same 'char', kw.call('res.partner', 'fields_get', [], { attributes: %w[string help type] })['name']['type'], 'fields_get'
rows = kw.call('res.partner', 'search_read', [[['id', '=', id]]], { fields: %w[name create_date] })
same 'Newer', rows[0]['name'], 'search_read'
begin
  kw.call('res.partner', 'write', [[id], { country_id: 999_999 }])
  abort 'no fault'
rescue XMLRPC::FaultException => e
  same 2, e.faultCode, 'the code of a fault'
end
begin
  models.execute_kw(db, uid, 'wrong', 'res.partner', 'read', [[id]])
  abort 'no fault'
rescue XMLRPC::FaultException => e
  same [3, 'Access Denied'], [e.faultCode, e.faultString], 'a wrong password'
end
ok, value = XMLRPC::Client.new2("#{url}/xmlrpc/2/object").call2('execute_kw', db, uid, password, 'res.partner', 'unlink', [[id]])
same [true, true], [ok, value], 'unlink by call2'

# The other ways to make a client and to call that its documentation has, dates and bytes among them.
uri = URI(url)
plain = XMLRPC::Client.new(uri.host, '/xmlrpc/2/common', uri.port)
same '19.0', plain.call('version')['server_version'], 'new with host, path and port'
plain = XMLRPC::Client.new3('host' => uri.host, 'path' => '/xmlrpc/2/object', 'port' => uri.port, 'timeout' => 20)
plain.http_header_extra = { 'accept-encoding' => 'identity' }
same [true, uid], XMLRPC::Client.new2("#{url}/xmlrpc/2/common", nil, 20).call2(:login, db, login, password), 'a symbol as method'
ask = ->(*args) { plain.call('execute_kw', db, uid, password, *args) }
threads = Array.new(2) { Thread.new { plain.call_async('execute_kw', db, uid, password, 'res.partner', 'search_count', [[]]) } }
same 1, threads.map(&:value).uniq.length, 'calls at the same time'
picture = "\x89PNG\r\n\x1a\n".b
begin
  ask.call('ir.attachment', 'create', [{ name: 'r.bin', datas: XMLRPC::Base64.new(picture) }])
  abort 'no fault'
rescue XMLRPC::FaultException => e
  same true, e.faultString.include?('send bytes as base64 in a string'), 'bytes of the type that the service does not take'
end
file = ask.call('ir.attachment', 'create', [{ name: 'r.bin', datas: [picture].pack('m') }])
same [picture].pack('m0'), ask.call('ir.attachment', 'read', [[file], ['datas']])[0]['datas'].delete("\n"), 'bytes'
id = ask.call('res.partner', 'create', [{ name: :symbol, category_id: [[0, 0, { name: 'Ruby' }]], color: 3, parent_id: false }])
since = XMLRPC::DateTime.new(2000, 1, 1, 0, 0, 0)
same [id], ask.call('res.partner', 'search', [[[:id, :'=', id], [:create_date, :'>', since]]]), 'a moment in a domain'
same [id], ask.call('res.partner', 'search', [[[:id, :'=', id], [:create_date, :'>', Time.at(0)]]]), 'a time in a domain'
struct = Struct.new(:fields, :limit).new(['name'], 1)
same [{ 'id' => id, 'name' => 'symbol' }], ask.call('res.partner', 'search_read', [[[:id, :'=', id]]], struct), 'a struct as keywords'
ok, fault = plain.call2('execute_kw', db, uid, password, 'res.partner', 'no_such_method', [[]])
same [false, true], [ok, fault.is_a?(XMLRPC::FaultException)], 'an unknown method by call2'
ok, fault = plain.call2('no.such.call', 1)
same [false, true], [ok, fault.is_a?(XMLRPC::FaultException)], 'an unknown call'
begin
  plain.multicall(['version'], ['version'])
  abort 'no fault'
rescue XMLRPC::FaultException
  nil
end
same true, ask.call('res.partner', 'unlink', [id]), 'unlink of a lone id'
puts 'done'
