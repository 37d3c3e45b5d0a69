-- Looks at runs whose lease may be over, for whoever asks for due work or sweeps.
--
-- For each member KEYS: leases, queue; ARGV: how many elements. Answers how many there were. Runs that go on
-- are watched among the leases of the call.

for k = 4, #KEYS, 2 do
    answers[#answers + 1] = rarely().ripen(KEYS[k], KEYS[k + 1], ARGV[3 + (k - 4) / 2])
end
