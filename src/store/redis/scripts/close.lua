
if queue_at then call('ZADD', KEYS[2], format('%d', queue_at), table.concat(queue, ' ')) end
if leases_at then call('ZADD', KEYS[3], format('%d', leases_at), table.concat(leases, ' ')) end
return answers
